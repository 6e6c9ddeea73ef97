import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { ApiError } from './api.ts';

export interface FormOptions<T> {
  send: (value: FormValues) => Promise<T>;
  onDone?: (result: T, form: HTMLFormElement) => void;
  /** Called when the failure belongs to no field of the form. The typed text stays. */
  onFailure: (error: Error) => void;
}

/** The text of a field by its name; empty when there is none. */
export type FormValues = (name: string) => string;

/** A form that posts: its busy state, and the server's error for each field. */
export function useForm<T>({ send, onDone, onFailure }: FormOptions<T>) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: (form: HTMLFormElement) => send(valuesOf(form)),
    onSuccess: (result, form) => onDone?.(result, form),
    onError: (problem, form) => {
      const field = fieldErrorOf(problem)?.field;
      // Show errors of fields that this form does not render.
      if (field === undefined || !focusField(form, field)) onFailure(problem);
    },
  });
  const fieldError = fieldErrorOf(error);

  return {
    isPending,
    onSubmit: (event: FormEvent<HTMLFormElement>) => {
      event.preventDefault();
      mutate(event.currentTarget);
    },
    errorOf: (field: string): string | undefined =>
      fieldError?.field === field ? fieldError.message : undefined,
  };
}

/** Moves to the field that needs a correction: screen readers read it with its error. @returns whether the form has it */
export function focusField(form: HTMLFormElement, name: string): boolean {
  const field = form.elements.namedItem(name);
  if (field instanceof HTMLElement) field.focus();
  return field !== null;
}

function valuesOf(form: HTMLFormElement): FormValues {
  const data = new FormData(form);
  return (name) => {
    const value = data.get(name);
    return typeof value === 'string' ? value : '';
  };
}

function fieldErrorOf(error: unknown): { field: string; message: string } | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const field = error.body?.details?.field;
  const message = error.userMessage;
  return typeof field === 'string' && message ? { field, message } : undefined;
}
