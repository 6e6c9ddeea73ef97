/** Paths that the frontend has a screen for; a test compares them with its routes. */
export const SCREEN_PATHS = [
  '/',
  '/login',
  '/subscription',
  '/settings',
  '/files',
  '/memory',
  '/personas',
  '/artifact',
  '/reset-password',
  '/verify-email',
  '/privacy',
  '/features',
  '/deleted/:id',
  '/test',
] as const;
