import type { Appearance, StripeCheckoutLoadActionsResult } from '@stripe/stripe-js';
import { loadStripe } from '@stripe/stripe-js/pure';

export interface PaymentSecrets {
  clientSecret: string;
  publishableKey: string;
}

/** The provider's fields on this page. */
export interface MountedForm {
  /** Pays. Resolves with the provider's message when it was refused; else the browser leaves for the return address. */
  pay: () => Promise<string | null>;
  unmount: () => void;
}

/**
 * Loads the provider's script and shows its fields in `box`.
 * @throws Error when the script, or the checkout that the secret belongs to, cannot be loaded
 */
export async function mountForm(
  box: HTMLElement,
  { clientSecret, publishableKey }: PaymentSecrets,
): Promise<MountedForm> {
  const stripe = await loadStripe(publishableKey);
  if (!stripe) throw new Error('Stripe.js needs a browser');
  const checkout = stripe.initCheckoutElementsSdk({
    clientSecret,
    elementsOptions: { appearance: currentAppearance() },
  });
  const actions = actionsOf(await checkout.loadActions());
  const fields = checkout.createPaymentElement();
  fields.mount(box);
  return {
    pay: async () => {
      const result = await actions.confirm();
      return result.type === 'error' ? result.error.message : null;
    },
    unmount: () => fields.destroy(),
  };
}

function actionsOf(result: StripeCheckoutLoadActionsResult) {
  if (result.type === 'error') throw new Error(result.error.message);
  return result.actions;
}

/** The provider's fields live in frames of its own, which see no style of this page. */
function currentAppearance(): Appearance {
  const isDark = document.documentElement.classList.contains('dark');
  const colors = {
    colorPrimary: rgbOf('--accent'),
    colorBackground: rgbOf('--ground'),
    colorText: rgbOf('--ink'),
    colorTextSecondary: rgbOf('--muted'),
    colorDanger: rgbOf('--danger'),
  };
  const known = Object.entries(colors).filter(([, color]) => color !== null);
  return {
    theme: isDark ? 'night' : 'stripe',
    variables: { ...Object.fromEntries(known), borderRadius: '8px', fontSizeBase: '16px' },
  };
}

/** A colour of the theme in the form that the provider understands; null where there is no canvas. */
function rgbOf(token: string): string | null {
  const pen = document.createElement('canvas').getContext('2d');
  if (!pen) return null;
  pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(token);
  pen.fillRect(0, 0, 1, 1);
  const [red, green, blue] = pen.getImageData(0, 0, 1, 1).data;
  return `rgb(${red}, ${green}, ${blue})`;
}
