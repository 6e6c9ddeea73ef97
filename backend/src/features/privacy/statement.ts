import { isIP } from 'node:net';
import { type Config, hasTestPayments, modelsOf } from '../../config.ts';
import type {
  PrivacyStatement,
  Recipient,
  RecipientKind,
  Retention,
} from '../../contract/privacy-statement.ts';
import { DEMO_MODEL } from '../../contract/reply-settings.ts';

const at = (kind: RecipientKind, address: string): Recipient => {
  const host = publicHost(address);
  return host === undefined ? { kind, place: 'operator' } : { kind, place: 'provider', host };
};

/** Recipients of data, by the configuration. Private host names are left out. */
export function privacyStatement(
  config: Config,
  retention: readonly Retention[],
): PrivacyStatement {
  const isDemoModel = config.OPENAI_MODEL === DEMO_MODEL;
  const isTestPayment = hasTestPayments(config);
  return {
    recipients: [
      ...models(config, isDemoModel),
      ...payments(config, isTestPayment),
      config.SMTP_URL === undefined ? machine('mail') : at('mail', config.SMTP_URL),
      ...(config.GOOGLE_CLIENT_ID ? [at('google', config.GOOGLE_ISSUER)] : []),
      ...(config.REPLIT_CLIENT_ID ? [at('replit', config.REPLIT_ISSUER)] : []),
      at('objects', config.S3_ENDPOINT),
    ],
    isDemoModel,
    isTestPayment,
    hasOcr: config.OCR,
    retention: [...retention],
  };
}

function payments({ PLANS, STRIPE_API_URL }: Config, isTest: boolean): Recipient[] {
  if (PLANS === 'off') return [];
  return [isTest ? machine('payments') : at('payments', STRIPE_API_URL)];
}

const machine = (kind: RecipientKind): Recipient => ({ kind, place: 'machine' });

function models(config: Config, isDemoModel: boolean): Recipient[] {
  const { OPENAI_BASE_URL, EMBEDDING_MODEL, EMBEDDING_BASE_URL } = config;
  const model = modelsOf(config).join(', ');
  const chat = isDemoModel ? machine('model') : at('model', OPENAI_BASE_URL);
  if (EMBEDDING_MODEL === undefined) return [{ ...chat, model }];
  const embeddings = at('embeddings', EMBEDDING_BASE_URL ?? OPENAI_BASE_URL);
  return [
    { ...chat, model },
    { ...embeddings, model: EMBEDDING_MODEL },
  ];
}

/** Suffixes of private host names (RFC 6761, RFC 6762, RFC 8375, and common practice). */
const PRIVATE_ENDING =
  /(^|\.)(localhost|local|internal|intranet|lan|home|corp|private|test|example|invalid|home\.arpa)$/;

/** The host of a URL if its name is public; undefined for private names and IP addresses. */
export function publicHost(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const host = new URL(address).hostname.toLowerCase().replace(/\.$/, '');
  const isAddress = isIP(host.replace(/^\[|\]$/g, '')) !== 0;
  return isAddress || !host.includes('.') || PRIVATE_ENDING.test(host) ? undefined : host;
}
