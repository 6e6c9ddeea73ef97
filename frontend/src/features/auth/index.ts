export { useSignOut, useUser } from './hooks.ts';
export { PasswordField } from './password-field.tsx';
export { endSession } from './session.ts';
export { useForm } from './use-form.ts';
