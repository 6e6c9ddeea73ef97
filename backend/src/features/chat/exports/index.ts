export { exportConversations } from './export.ts';
export { type AttachedFiles, importConversation } from './import.ts';
export { exportOwn } from './own.ts';
export { exportRoutes, importRoutes } from './routes.ts';
