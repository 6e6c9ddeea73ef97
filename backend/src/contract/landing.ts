/** The claims of the landing page (docs/product.md, 'Landing page'), in the order of the default. */
export const CLAIMS = [
  'files',
  'privacy',
  'personas',
  'fusion',
  'truth',
  'depth',
  'memory',
  'team',
] as const;
export type Claim = (typeof CLAIMS)[number];

export const BADGES = ['soc2', 'gdpr', 'uptime', 'cdn'] as const;
export type Badge = (typeof BADGES)[number];

/** Represents an empty list, because an empty setting counts as not set. */
export const NO_ENTRY = 'none';
/** After a claim: the product does not have this yet. */
export const SOON = ':soon';

export const DEFAULT_LANDING_BADGES = BADGES.join(',');
export const DEFAULT_LANDING_CLAIMS = CLAIMS.join(',');

/** The paths of the frontend's screens; a test compares them with its routes. */
export const SCREEN_PATHS = [
  '/',
  '/login',
  '/subscription',
  '/settings',
  '/files',
  '/memory',
  '/personas',
  '/workspace',
  '/invitation',
  '/artifact',
  '/reset-password',
  '/verify-email',
  '/privacy',
  '/features',
  '/deleted/:id',
  '/s/:id',
  '/test',
] as const;
