// npm run seed -- <scenario>: fills a running STOLAS through its API, with the demo model and test payments.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { main, Stop, step } from './terminal.mjs';

const PASSWORD = 'a long enough password';
const LONG = 500;

const SCENARIOS = {
  'demo-user': { does: 'a user with the plan Starter', run: async () => '/' },
  'long-thread': {
    does: `the same with a conversation of ${2 * LONG} messages`,
    run: async ({ post }) => {
      const questions = Array.from(
        { length: LONG },
        (_, n) =>
          `## You\n\nWhat did the telescope see in night ${n}?\n\n## Assistant\n\n**Night ${n}**: ${n} owls.`,
      );
      const text = `# Nights at the observatory\n\n${questions.join('\n\n')}\n`;
      const body = { format: 'md', text, clientConversationId: randomUUID() };
      const { id } = await post('/conversations/import', body);
      return `/?c=${id}`;
    },
  },
  'broken-reply': {
    does: 'the same with a reply that failed after half of its text',
    run: async ({ post, get }) => {
      const { id } = await post('/conversations', { title: 'A broken reply' });
      const body = { content: '/fail cut', clientMessageId: randomUUID() };
      await post(`/conversations/${id}/messages`, body);
      for (let status = 'queued'; status !== 'failed'; await sleep(200)) {
        ({ status } = (await get(`/conversations/${id}/messages`)).at(-1));
        if (status === 'complete')
          throw new Stop('The reply is complete: this needs the demo model.');
      }
      return `/?c=${id}`;
    },
  },
};

const HELP = `npm run seed -- <scenario> [address of a STOLAS that runs; http://localhost:3000]\n
${Object.entries(SCENARIOS)
  .map(([name, { does }]) => `  ${name.padEnd(14)} ${does}`)
  .join('\n')}`;

await main(async () => {
  const [name, address = 'http://localhost:3000'] = process.argv.slice(2);
  if (name === undefined || name === '--help') return console.log(HELP);
  const scenario = SCENARIOS[name];
  if (!scenario) throw new Stop(`There is no scenario ${name}.\n\n${HELP}`);
  await step(name, async () => {
    const { email, api } = await subscriber(address);
    const path = await scenario.run(api);
    console.log(`Sign in as ${email} with the password '${PASSWORD}' and open ${address}${path}`);
  });
});

/** Calls of the API, repeated while the product is too busy; another answer than success ends the command. */
function client(address, token) {
  const call = async (method, path, body, repetitions = 20) => {
    const headers = {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    };
    const options = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(`${address}/api${path}`, options).catch(() => {
      throw new Stop(`No STOLAS answers at ${address}. Start one: npm run dev`);
    });
    if (response.status === 503 && repetitions > 0) {
      await sleep(1_000);
      return call(method, path, body, repetitions - 1);
    }
    if (!response.ok)
      throw new Stop(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  return { post: (path, body = {}) => call('POST', path, body), get: (path) => call('GET', path) };
}

async function subscriber(address) {
  const email = `ada-${randomUUID().slice(0, 8)}@example.com`;
  const fields = { email, password: PASSWORD, firstName: 'Ada', lastName: 'Lovelace' };
  const { token } = await client(address).post('/auth/register', fields);
  const api = client(address, token);
  const { url } = await api.post('/stripe/checkout', { priceId: 'price_starter_month' });
  const sessionId = url?.split('/').at(-1);
  const pay = { method: 'POST', redirect: 'manual' };
  const paid = await fetch(`${address}/test-checkout/${sessionId}/pay`, pay);
  if (paid.status >= 400) throw new Stop('The plan was not paid: this needs test payments.');
  await api.post('/subscription/verify', { sessionId });
  return { email, api };
}
