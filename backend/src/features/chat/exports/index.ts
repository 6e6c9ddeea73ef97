export { exportConversations } from './export.ts';
export { type AttachedFiles, importConversation } from './import.ts';
export { exportRoutes, importRoutes } from './routes.ts';
