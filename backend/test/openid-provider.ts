import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import { listen } from './listen.ts';

/** The claims of a user at the provider, beside the subject. */
export type Claims = Record<string, string | boolean>;

export interface OpenIdProvider {
  issuer: string;
  /** The users who can sign in there, by subject. */
  people: Map<string, Claims>;
}

interface Client {
  clientId: string;
  /** Without one the client is public. */
  clientSecret?: string;
  redirectUri: string;
}

/** A real OpenID provider with a sign-in page and a consent page, on a separate port. */
export async function startOpenIdProvider(clients: Client[]): Promise<OpenIdProvider> {
  const people = new Map<string, Claims>();
  const server = createServer();
  const issuer = await listen(server);
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const provider = new Provider(issuer, {
    clients: clients.map(({ clientId, clientSecret, redirectUri }) => ({
      client_id: clientId,
      redirect_uris: [redirectUri],
      ...(clientSecret === undefined
        ? { token_endpoint_auth_method: 'none' as const }
        : {
            client_secret: clientSecret,
            token_endpoint_auth_method: 'client_secret_post' as const,
          }),
    })),
    jwks: { keys: [{ ...(await exportJWK(privateKey)), use: 'sig', alg: 'RS256' }] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['given_name', 'family_name', 'first_name', 'last_name'],
    },
    // The path that Google's strategy needs to recognise an OpenID provider.
    routes: { userinfo: '/userinfo' },
    pkce: { required: () => true },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    findAccount: (_context, sub) => {
      const claims = people.get(sub);
      return claims && { accountId: sub, claims: async () => ({ sub, ...claims }) };
    },
  });
  const answer = provider.callback();
  server.on('request', (req, res) => void answer(req, res));
  return { issuer, people };
}
