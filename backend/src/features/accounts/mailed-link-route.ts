import { Router } from 'express';
import { publicUrl, showsMailedLinks } from '../../config.ts';
import { type MailedLink, MailedLinkQuery } from '../../contract/auth.ts';
import { notFound } from '../../errors.ts';
import { isOfThisMachine, openHandler } from '../../http/index.ts';
import { mailFolder, readNewestMail } from '../../mail/index.ts';
import type { AccountsFeature } from './feature.ts';
import type { Limits } from './limits.ts';

/**
 * Shows the link of a mail that was written into a folder because there is no mail server. A link opens its account, so the route does not
 * exist in production, nor for requests of other machines.
 */
export function mailedLinkRoute(
  { config }: Pick<AccountsFeature, 'config'>,
  limits: Limits,
): Router {
  const router = Router();
  if (!showsMailedLinks(config)) return router;
  return router.get(
    '/auth/mailed-link',
    limits.mailedLinks,
    openHandler({ query: MailedLinkQuery }, async ({ req, query }): Promise<MailedLink> => {
      if (!isOfThisMachine(req)) throw notFound('link');
      const { email: to, page, since } = query;
      const link = `${publicUrl(config)}/${page}#token=`;
      const mail = await readNewestMail(mailFolder(config), { to, since, text: `\n${link}` });
      const line = mail?.split('\n').find((text) => text.startsWith(link));
      return { path: line?.slice(publicUrl(config).length) ?? null };
    }),
  );
}
