export { createOpenAiProvider } from './openai.ts';
export {
  type ChatProvider,
  type PromptMessage,
  ProviderError,
} from './port.ts';
export { fitPrompt, SYSTEM_PROMPT } from './prompt.ts';
export { countPromptTokens, countTokens } from './tokens.ts';
