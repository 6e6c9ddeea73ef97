import { type Answer, commandAnswer, say } from './commands.ts';
import type { Language } from './language.ts';
import { answerFrom, type PromptFiles } from './passages.ts';
import { introduction, type PromptPanel, type PromptPersona } from './persona.ts';
import { PHRASES } from './phrases.ts';
import { echoText, stepsText, synthesisText } from './texts.ts';
import { tourAnswer } from './tour.ts';

export interface Asked {
  /** The user's last message. */
  message: string;
  /** The number of attached images. */
  images: number;
  /** The files in the prompt; null without any. */
  files: PromptFiles | null;
  /** The user's memories in the prompt. */
  memories?: readonly string[] | undefined;
  /** Whether to show the steps to the answer. */
  reasons?: boolean;
  /** The language of the answer; English by default. */
  language?: Language;
  /** The persona in the prompt; null without one. */
  persona: PromptPersona | null;
  /** The panel that the answer is a part of. */
  panel?: PromptPanel | null;
  /** The beginning of the answer to continue. */
  begun: string;
}

/** The answer of the demo model. The same prompt gets the same text; only a first attempt fails on request. */
export function answerTo(given: Asked): Answer {
  const { reasons, begun, files, language = 'en' } = given;
  const asked = given.message.trim();
  const answer = commandOrPanel(given, asked) ?? {
    ...say(textFor(given, asked)),
    ...(reasons && {
      reasoning: stepsText(language, { asked, passages: files?.passages.length ?? 0 }),
    }),
  };
  if (!begun || !answer.text.startsWith(begun)) return answer;
  const { breaks: _breaks, error: _error, reasoning: _reasoning, ...whole } = answer;
  return { ...whole, text: answer.text.slice(begun.length) };
}

function commandOrPanel({ files, persona, panel, language = 'en' }: Asked, asked: string) {
  const written = panel && tourAnswer(asked, { files, panel, persona });
  if (written) return say(written);
  if (panel?.isClosed) return say(synthesisText(panel.names, { asked, language }));
  const special = commandAnswer(asked, { files, language });
  if (!special || !panel || !persona) return special;
  // In a panel, so that the answers of the members differ.
  return { ...special, text: `${introduction(persona, language)}\n\n${special.text}` };
}

function textFor(
  { images, files, memories = [], persona, language = 'en' }: Asked,
  asked: string,
): string {
  const { unseen, remembered } = PHRASES[language];
  const list = memories.map((text) => `- ${text}`).join('\n');
  return [
    persona && introduction(persona, language),
    images > 0 && unseen,
    list !== '' && `${remembered}\n\n${list}`,
    tourAnswer(asked, { files }) ??
      (files && answerFrom(files, { question: asked, language })) ??
      echoText(asked, language),
  ]
    .filter(Boolean)
    .join('\n\n');
}
