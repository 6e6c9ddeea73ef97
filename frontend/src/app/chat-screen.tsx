import { ChatPage } from '../features/chat/index.ts';
import { TooltipProvider } from '../ui/tooltip.tsx';

export { connectEarly } from '../realtime/index.ts';

/** The chat with what it needs around it; tooltips stay out of the lighter pages' code. */
export function ChatScreen() {
  return (
    <TooltipProvider>
      <ChatPage />
    </TooltipProvider>
  );
}
