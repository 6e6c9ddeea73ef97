import { t } from 'virtual:texts/app';
import type { ReactNode } from 'react';
import { type FormOptions, useForm } from '../lib/use-form.ts';
import { Button } from './button.tsx';
import { DialogActions } from './dialog-actions.tsx';
import { FieldErrors } from './input.tsx';

interface FormProps<T> extends FormOptions<T> {
  /** Fields with names. The server's error for a field is shown at it. */
  children: ReactNode;
  /** The label of the button. */
  action: string;
  /** The form is the purpose of the page. */
  isPrimary?: boolean;
  /** Offers to leave the form. */
  onCancel?: () => void;
  /** Stands in a dialog, which has its buttons at the foot. */
  isDialog?: boolean;
}

/** A form that posts, with its button. */
export function Form<T>({
  children,
  action,
  isPrimary = false,
  onCancel,
  isDialog = false,
  ...options
}: FormProps<T>) {
  const { onSubmit, isPending, errorOf } = useForm(options);
  const submit = (
    <Button
      type="submit"
      variant={isPrimary ? 'primary' : 'secondary'}
      className={isPrimary ? '' : 'justify-self-start'}
      busy={isPending}
    >
      {action}
    </Button>
  );
  const cancel = onCancel && <Button onClick={onCancel}>{t('cancel')}</Button>;
  const fields = <FieldErrors value={errorOf}>{children}</FieldErrors>;
  if (isDialog)
    return (
      <form onSubmit={onSubmit} className="mt-4">
        <div className="grid gap-4">{fields}</div>
        <DialogActions>
          {cancel}
          {submit}
        </DialogActions>
      </form>
    );
  return (
    <form onSubmit={onSubmit} className="grid gap-4">
      {fields}
      {cancel ? (
        <div className="flex gap-3">
          {submit}
          {cancel}
        </div>
      ) : (
        submit
      )}
    </form>
  );
}
