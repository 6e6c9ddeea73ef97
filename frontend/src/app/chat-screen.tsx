import { ChatPage } from '../features/chat/index.ts';
import { TooltipProvider } from '../ui/tooltip.tsx';

export { connectEarly } from '../realtime/index.ts';

/** The chat with its providers; other pages do not load the code of tooltips. */
export function ChatScreen() {
  return (
    <TooltipProvider>
      <ChatPage />
    </TooltipProvider>
  );
}
