export { exportConversations } from './export.ts';
export { importConversation } from './import.ts';
export { exportRoutes, importRoutes } from './routes.ts';
