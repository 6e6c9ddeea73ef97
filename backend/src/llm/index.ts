export { createOpenAiProvider, type OpenAiOptions } from './openai.ts';
export {
  type ChatEvent,
  type ChatProvider,
  type ChatRequest,
  type PromptMessage,
  ProviderError,
  type ProviderErrorCode,
} from './port.ts';
export { fitPrompt, SYSTEM_PROMPT } from './prompt.ts';
export { countPromptTokens, countTokens } from './tokens.ts';
