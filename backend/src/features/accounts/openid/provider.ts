import { allowInsecureRequests, type Configuration, discovery, None } from 'openid-client';

const TIMEOUT_SECONDS = 10;

interface ProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
}

/** The discovery document of a provider (OpenID Connect Discovery 1.0), read on first use. */
export type Provider = () => Promise<Configuration>;

export function createProvider({ issuer, clientId, clientSecret }: ProviderSettings): Provider {
  let known: Promise<Configuration> | undefined;
  // Outside production, the configuration also accepts an issuer without TLS.
  const execute = issuer.startsWith('http:') ? [allowInsecureRequests] : [];
  return () => {
    known ??= discovery(
      new URL(issuer),
      clientId,
      clientSecret,
      clientSecret === undefined ? None() : undefined,
      { execute, timeout: TIMEOUT_SECONDS },
    ).catch((error: unknown) => {
      // The next call reads a provider that was unreachable again.
      known = undefined;
      throw error;
    });
    return known;
  };
}
