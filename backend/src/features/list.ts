import { accounts } from './accounts/index.ts';
import { billing } from './billing/index.ts';
import { chat } from './chat/index.ts';
import { claims } from './claims/index.ts';
import type { Feature } from './define-feature.ts';
import { files } from './files/index.ts';
import { memory } from './memory/index.ts';
import { personas } from './personas/index.ts';
import { privacy } from './privacy/index.ts';
import { shares } from './shares/index.ts';
import { usage } from './usage/index.ts';
import { workspaces } from './workspaces/index.ts';

/**
 * Every feature, each after the features that it uses. Services are built in this order; user data is erased in the reverse order, so that
 * the account is erased last.
 */
export const features = [
  accounts,
  billing,
  usage,
  workspaces,
  files,
  personas,
  memory,
  chat,
  shares,
  claims,
  privacy,
];

type Listed = (typeof features)[number];
type ServiceOf<F> = F extends Feature<string, infer Service, never> ? Service : never;

/** The services of all features, under the features' names. */
export type Services = { [F in Listed as F['name']]: ServiceOf<F> };
