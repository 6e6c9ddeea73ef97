export { checkModel, offerEmbeddings } from './check-model.ts';
export { type ReasoningLevel } from './models.ts';
export { createOpenAiProvider } from './openai.ts';
export { createOpenAiEmbedder } from './openai-embedder.ts';
export { createOpenAiJsonModel } from './openai-json.ts';
export {
  type AppliedReasoning,
  type ChatProvider,
  type Embedder,
  type JsonModel,
  type JsonRequest,
  type PromptMessage,
  ProviderError,
  type ProviderUsage,
  StructuredAnswerError,
} from './port.ts';
export { fitPrompt } from './prompt.ts';
export {
  countPromptTokens,
  countTokens,
  countTokensInThread,
  TOKENS_PER_IMAGE,
  warmUpTokens,
} from './tokens.ts';
