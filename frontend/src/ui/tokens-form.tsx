import type { ReactNode } from 'react';
import { formatNumber, parseNumber } from '../lib/number.ts';
import type { FormOptions } from '../lib/use-form.ts';
import { Form } from './form.tsx';
import { Field } from './input.tsx';

interface TokensFormProps<T> extends Omit<FormOptions<T>, 'send'> {
  /** Receives text that is no number too: the server says what is wrong with it. */
  send: (tokens: number | string) => Promise<T>;
  /** What the server calls the field. */
  name: string;
  label: string;
  hint?: string;
  tokens: number | null;
  action: string;
  isDialog?: boolean;
  onCancel: () => void;
  /** Stands below the field. */
  children?: ReactNode;
}

/** A form for a limit in tokens. It opens when the user asks for it, so its field has the focus. */
export const TokensForm = <T,>({
  send,
  name,
  label,
  hint,
  tokens,
  children,
  ...form
}: TokensFormProps<T>) => (
  <Form {...form} send={(value) => send(parseNumber(value(name).trim()))} isPrimary>
    <Field
      label={label}
      name={name}
      inputMode="numeric"
      autoComplete="off"
      // oxlint-disable-next-line jsx-a11y/no-autofocus -- the user has just asked for it; a dialog focuses it by itself
      autoFocus={!form.isDialog}
      defaultValue={tokens === null ? '' : formatNumber(tokens)}
      hint={hint}
    />
    {children}
  </Form>
);
