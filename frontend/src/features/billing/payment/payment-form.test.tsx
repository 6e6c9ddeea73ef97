import type { StripeConstructor } from '@stripe/stripe-js';
import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { testSubscriber } from '../../../lib/user.fixture.ts';
import { renderFor } from '../billing.fixture.tsx';
import { PaymentForm } from './payment-form.tsx';

const confirm = vi.fn<() => Promise<unknown>>();
const loadActions = vi.fn<() => Promise<unknown>>();
const initCheckoutElementsSdk = vi.fn<(options: unknown) => unknown>();
const destroy = vi.fn<() => void>();

/** Stands in for the provider's script, as far as the page uses it. */
function fakeStripe(key: string) {
  expect(key).toBe('pk_test_1');
  return { initCheckoutElementsSdk };
}

beforeEach(() => {
  vi.clearAllMocks();
  window.Stripe = Object.assign(fakeStripe, { version: 'endive' }) as unknown as StripeConstructor;
  confirm.mockResolvedValue({ type: 'success', session: {} });
  loadActions.mockResolvedValue({ type: 'success', actions: { confirm } });
  initCheckoutElementsSdk.mockReturnValue({
    loadActions,
    createPaymentElement: () => ({
      mount: (box: HTMLElement) => {
        box.textContent = "The provider's fields";
      },
      destroy,
    }),
  });
});

const open = (onBack = () => undefined) =>
  renderFor(
    testSubscriber(),
    <PaymentForm
      offer={{ plan: 'pro', interval: 'month' }}
      secrets={{ clientSecret: 'cs_secret', publishableKey: 'pk_test_1' }}
      onBack={onBack}
    />,
  );

async function pay() {
  await screen.findByText("The provider's fields");
  await userEvent.click(await screen.findByRole('button', { name: 'Subscribe' }));
}

it('names the plan and its price, and shows the fields of the provider', async () => {
  const onBack = vi.fn<() => undefined>();
  open(onBack);
  expect(screen.getByRole('heading', { name: 'Subscribe to Pro' })).toBeTruthy();
  expect(screen.getByText('$179/month')).toBeTruthy();
  expect(await screen.findByText("The provider's fields")).toBeTruthy();
  expect(initCheckoutElementsSdk).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ clientSecret: 'cs_secret' }),
  );
  await userEvent.click(screen.getByRole('button', { name: 'Back to plans' }));
  expect(onBack).toHaveBeenCalledOnce();
});

it('stays busy after a payment until the browser has left', async () => {
  open();
  await pay();
  await waitFor(() => expect(confirm).toHaveBeenCalledOnce());
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Processing...' });
  expect(button.disabled).toBe(true);
});

it('shows why the provider refused the payment, which can be tried again', async () => {
  confirm.mockResolvedValue({ type: 'error', error: { message: 'Your card was declined.' } });
  open();
  await pay();
  expect(await screen.findByText('Payment Failed')).toBeTruthy();
  expect(screen.getByText('Your card was declined.')).toBeTruthy();
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Subscribe' }).disabled).toBe(false);
});

it('says so when the payment failed unexpectedly', async () => {
  confirm.mockRejectedValue(new Error('a bug'));
  open();
  await pay();
  expect(await screen.findByText('Payment Error')).toBeTruthy();
  expect(screen.getByText('An unexpected error occurred. Please try again.')).toBeTruthy();
});

it('can be loaded again when the checkout could not be read', async () => {
  loadActions.mockResolvedValueOnce({ type: 'error', error: { message: 'expired', code: null } });
  open();
  expect(await screen.findByText('The payment form could not be loaded')).toBeTruthy();
  expect(await screen.findByText('Payment Error')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText("The provider's fields")).toBeTruthy();
});
