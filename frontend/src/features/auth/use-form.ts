import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { ApiError, userMessageOf } from '../../lib/api.ts';
import { toast } from '../../ui/toast-store.ts';
import { endSession } from './session.ts';

interface FormOptions<T> {
  send: (form: FormValues) => Promise<T>;
  onDone?: (result: T, form: HTMLFormElement) => void;
  /** Title of the notification when it fails for another reason than a field. */
  failed: string;
  /** Whether an answer 401 means that this browser's session is over. */
  needsSession?: boolean;
}

/** The text of a field by its name; empty when there is none. */
export type FormValues = (name: string) => string;

/**
 * A form that posts: busy state, and what is wrong with each field as the server says it. Anything else that fails is a
 * notification, and what was typed stays.
 */
export function useForm<T>({ send, onDone, failed, needsSession = false }: FormOptions<T>) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: (form: HTMLFormElement) => send(valuesOf(form)),
    onSuccess: (result, form) => onDone?.(result, form),
    onError: (problem) => {
      if (needsSession && problem instanceof ApiError && problem.status === 401) void endSession();
      else if (fieldErrorsOf(problem).size === 0)
        toast({
          variant: 'destructive',
          title: failed,
          description: userMessageOf(problem, 'Check your connection and try again.'),
        });
    },
  });
  const errors = fieldErrorsOf(error);

  return {
    isPending,
    onSubmit: (event: FormEvent<HTMLFormElement>) => {
      event.preventDefault();
      mutate(event.currentTarget);
    },
    errorOf: (field: string): string | undefined => errors.get(field),
  };
}

function valuesOf(form: HTMLFormElement): FormValues {
  const data = new FormData(form);
  return (name) => {
    const value = data.get(name);
    return typeof value === 'string' ? value : '';
  };
}

function fieldErrorsOf(error: unknown): Map<string, string> {
  const details = error instanceof ApiError ? error.body?.details : undefined;
  const field = details?.field;
  const message = error instanceof ApiError ? error.userMessage : undefined;
  return typeof field === 'string' && message ? new Map([[field, message]]) : new Map();
}
