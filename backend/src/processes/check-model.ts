// Prints whether the configured model answers, and offers search by meaning: `npm start` runs it while web and worker start.
import { ConfigSchema } from '../config.ts';
import { checkModel, offerEmbeddings } from '../llm/index.ts';

const settings = ConfigSchema.pick({
  OPENAI_BASE_URL: true,
  OPENAI_API_KEY: true,
  OPENAI_MODEL: true,
  EMBEDDING_MODEL: true,
}).safeParse(Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== '')));

// Web and worker report wrong settings and do not start with them.
if (settings.success) {
  const { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: apiKey, OPENAI_MODEL: model } = settings.data;
  const [{ answers, line }, offer] = await Promise.all([
    checkModel({ baseUrl, apiKey, model }),
    settings.data.EMBEDDING_MODEL ? undefined : offerEmbeddings({ baseUrl, apiKey }),
  ]);
  const lines = [`${answers ? '✓' : '✗'} ${line}`, ...(offer ? [`  ${offer}`] : [])];
  process.stdout.write(`${lines.join('\n')}\n`, () => process.exit(0));
}
