export { createOpenAiProvider } from './openai.ts';
export {
  type ChatProvider,
  type PromptMessage,
  ProviderError,
  type ProviderUsage,
} from './port.ts';
export { fitPrompt } from './prompt.ts';
export { countPromptTokens, countTokens, TOKENS_PER_IMAGE, warmUpTokens } from './tokens.ts';
