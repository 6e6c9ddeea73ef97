export { ChatPage as ChatScreen } from '../features/chat/index.ts';
export { connectEarly } from '../realtime/index.ts';
