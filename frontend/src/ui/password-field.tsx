import { t } from 'virtual:texts/forms';
import { EyeIcon, EyeOff } from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import { Field } from './input.tsx';

type PasswordFieldProps = Omit<ComponentProps<typeof Field>, 'type' | 'end' | 'required'>;

/** A password field with a toggle that shows the password. */
export function PasswordField(props: PasswordFieldProps) {
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : EyeIcon;
  const { label } = props;
  return (
    <Field
      {...props}
      type={shown ? 'text' : 'password'}
      required
      end={
        <button
          type="button"
          aria-label={shown ? t('hide', { label }) : t('show', { label })}
          onClick={() => setShown(!shown)}
          className="grid w-11 place-content-center rounded-sm text-muted hover:text-ink"
        >
          <Icon aria-hidden="true" className="size-4.5" />
        </button>
      }
    />
  );
}
