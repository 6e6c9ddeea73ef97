import { describe, expect, it } from 'vitest';
import { findModel, ModelEntry, REASONING_LEVELS } from './models.ts';
import { COMMON_DIALECT, requestBody } from './openai-request.ts';
import { reasoningSetting } from './reasoning.ts';

const signal = new AbortController().signal;

/** The request fields of each level beside the common ones, and the applied level. */
function bodies(model: string, { maxTokens = 8_192, registry = [] as ModelEntry[] } = {}) {
  const entry = findModel(model, registry);
  return REASONING_LEVELS.map((level) => {
    const setting = reasoningSetting(entry, level, maxTokens);
    const request = { messages: [], signal, maxTokens };
    const {
      messages: _m,
      stream: _s,
      stream_options: _o,
      store: _t,
      ...fields
    }: Record<string, unknown> = {
      ...requestBody(model, request, { dialect: COMMON_DIALECT, setting }),
    };
    return {
      level,
      fields,
      applied: setting?.applied ?? 'default',
    };
  });
}

describe('the amount of reasoning in a request', () => {
  it.each([
    'gpt-5-mini',
    'gpt-5.1',
    'openai/gpt-oss-120b',
    'o3',
    'grok-3-mini',
    'claude-sonnet-4-5',
    'qwen3-32b',
    'glm-4.6',
    'gpt-4o-mini',
    'unheard-of',
  ])('has the form that %s takes', (model) => {
    expect(bodies(model)).toMatchSnapshot();
  });

  it('follows the configuration, at any path, before the known models', () => {
    const registry: ModelEntry[] = [
      { model: 'GPT-5*', style: 'toggle', parameter: 'chat_template_kwargs.enable_thinking' },
      { model: 'my-*', style: 'budget', parameter: 'reasoning.max_tokens', min: 100, max: 1_000 },
    ];
    expect(bodies('gpt-5-mini', { registry })).toMatchSnapshot('a toggle');
    expect(bodies('lab/my-model', { registry })).toMatchSnapshot('a budget');
  });

  it('leaves a quarter of the reply for the answer, and reports the remaining level', () => {
    const claude = (maxTokens: number) =>
      bodies('claude-sonnet-4-5', { maxTokens }).map(({ fields, applied }) => [
        fields.thinking,
        applied,
      ]);
    expect(claude(4_000)[2]).toEqual([{ type: 'enabled', budget_tokens: 3_000 }, 'medium']);
    expect(claude(1_000)[2]).toEqual([{ type: 'disabled' }, 'lowest']);
    const entry = { model: 'm', style: 'budget', min: 1_024, max: 9_000 } as const;
    expect(reasoningSetting(entry, 'highest', 1_000)).toBeNull();
  });

  it('never takes more than requested when the model has fewer levels', () => {
    const applied = bodies('grok-3-mini').map((body) => [
      body.fields.reasoning_effort,
      body.applied,
    ]);
    expect(applied).toEqual([
      ['low', 'lowest'],
      ['low', 'lowest'],
      ['high', 'highest'],
    ]);
  });
});

describe('an entry of the registry', () => {
  it.each([
    { model: 'm', style: 'effort' },
    { model: 'm', style: 'budget', min: 9, max: 3 },
    { model: 'm', style: 'budget', max: 3 },
    { model: 'm', style: 'much' },
    { model: 'm', style: 'none', parameter: '__proto__' },
    { model: '', style: 'none' },
  ])('is refused when it is not complete: %j', (entry) => {
    expect(ModelEntry.safeParse(entry).success).toBe(false);
  });

  it('takes no other pattern than the star', () => {
    const registry: ModelEntry[] = [{ model: 'my.model', style: 'toggle' }];
    expect(findModel('myxmodel', registry).style).toBe('none');
    expect(findModel('my.model', registry).style).toBe('toggle');
  });
});
