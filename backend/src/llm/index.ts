export { createOpenAiProvider } from './openai.ts';
export {
  type ChatProvider,
  type PromptMessage,
  ProviderError,
  type ProviderUsage,
} from './port.ts';
export { fitPrompt } from './prompt.ts';
export { countPromptTokens, countTokens, warmUpTokens } from './tokens.ts';
