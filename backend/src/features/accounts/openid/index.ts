export { openIdRoutes } from './routes.ts';
