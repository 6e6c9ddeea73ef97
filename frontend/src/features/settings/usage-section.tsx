import { UsagePanel } from '../usage/index.ts';
import { Section } from './section.tsx';

export const UsageSection = () => (
  <Section title="Usage" description="Tokens of prompts and replies, in this usage period.">
    <UsagePanel />
  </Section>
);
