export { createOpenAiProvider } from './openai.ts';
export { createOpenAiEmbedder } from './openai-embedder.ts';
export {
  type ChatProvider,
  type Embedder,
  type PromptMessage,
  ProviderError,
  type ProviderUsage,
} from './port.ts';
export { fitPrompt } from './prompt.ts';
export { countPromptTokens, countTokens, TOKENS_PER_IMAGE, warmUpTokens } from './tokens.ts';
