import { StorageUse } from '../files/index.ts';
import { UsagePanel } from '../usage/index.ts';
import { Section } from './section.tsx';

export const UsageSection = () => (
  <Section title="Usage" description="Tokens of prompts and replies, in this usage period.">
    <UsagePanel />
    <section aria-label="Storage" className="mt-4 grid gap-3">
      <h3 className="text-sm font-medium">Storage of files</h3>
      <StorageUse />
    </section>
  </Section>
);
