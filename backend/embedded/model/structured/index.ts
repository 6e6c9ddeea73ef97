import { claimExtraction } from './claim-extraction.ts';
import { claimVerdicts } from './claim-verdicts.ts';
import { fileComparisons } from './file-comparisons.ts';
import { memoryOps } from './memory-ops.ts';
import type { StructuredAnswer, StructuredPrompt } from './prompt.ts';

/** The structured answers of the demo model, by the name of the schema. Each has its own file. */
const ANSWERS = new Map<string, StructuredAnswer>(
  Object.entries({
    claim_extraction: claimExtraction,
    claim_verdicts: claimVerdicts,
    file_comparisons: fileComparisons,
    memory_ops: memoryOps,
  }),
);

/** @returns undefined for a schema that the demo model does not know */
export function structuredAnswer(name: string, prompt: StructuredPrompt): unknown {
  return ANSWERS.get(name)?.(prompt);
}
