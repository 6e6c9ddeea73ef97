import type { Config } from '../../config.ts';
import { createOpenAiJsonModel, createOpenAiProvider } from '../../llm/index.ts';

type ModelSettings = Pick<
  Config,
  | 'NODE_ENV'
  | 'OPENAI_BASE_URL'
  | 'OPENAI_API_KEY'
  | 'OPENAI_MODEL'
  | 'MODEL_REGISTRY'
  | 'PROVIDER_IDLE_SECONDS'
>;

/** The operator's model, for replies and for background calls. */
export function createModels(config: ModelSettings) {
  const api = {
    baseUrl: config.OPENAI_BASE_URL,
    apiKey: config.OPENAI_API_KEY,
    model: config.OPENAI_MODEL,
  };
  const idleMs = config.PROVIDER_IDLE_SECONDS * 1_000;
  // In production only the operator's log has the cause of a failure.
  const showsCause = config.NODE_ENV !== 'production';
  return {
    provider: createOpenAiProvider({ ...api, registry: config.MODEL_REGISTRY, idleMs, showsCause }),
    jsonModel: createOpenAiJsonModel({ ...api, timeoutMs: idleMs }),
  };
}
