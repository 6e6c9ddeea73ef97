import { t } from 'virtual:texts/personaChoice';
import { usePersona } from './api.ts';

/** The persona's greeting. It is not a reply: the model has not written it and does not receive it. */
export function PersonaGreeting({ personaId }: { personaId: string }) {
  const persona = usePersona(personaId);
  if (!persona || persona.greeting.trim() === '') return null;
  return (
    <figure className="mt-4 w-full max-w-lg rounded-lg border border-dashed border-line px-5 py-4 text-left">
      <blockquote dir="auto" className="max-h-60 overflow-y-auto wrap-anywhere whitespace-pre-wrap">
        {persona.greeting}
      </blockquote>
      <figcaption className="mt-3 text-sm text-muted">
        {t('greetingOf', { name: persona.name })}
      </figcaption>
    </figure>
  );
}
