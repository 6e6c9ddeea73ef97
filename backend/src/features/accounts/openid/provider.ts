import { allowInsecureRequests, type Configuration, discovery, None } from 'openid-client';

const TIMEOUT_SECONDS = 10;

interface ProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
}

/** The discovery document of a provider (OpenID Connect Discovery 1.0), read when it is first needed. */
export type Provider = () => Promise<Configuration>;

export function createProvider({ issuer, clientId, clientSecret }: ProviderSettings): Provider {
  let known: Promise<Configuration> | undefined;
  // The configuration lets an issuer without TLS pass outside production only.
  const execute = issuer.startsWith('http:') ? [allowInsecureRequests] : [];
  return () => {
    known ??= discovery(
      new URL(issuer),
      clientId,
      clientSecret,
      clientSecret === undefined ? None() : undefined,
      { execute, timeout: TIMEOUT_SECONDS },
    ).catch((error: unknown) => {
      // A provider that was unreachable is read again the next time.
      known = undefined;
      throw error;
    });
    return known;
  };
}
