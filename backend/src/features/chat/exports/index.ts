export { exportConversations } from './export.ts';
export { exportRoutes, importRoutes } from './routes.ts';
