import { Stripe } from 'stripe';
import * as z from 'zod';
import { GatewayError, type PaymentEvent, SignatureError } from '../port.ts';

/** An id, or the object that has it. */
const Reference = z
  .union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)])
  .nullish()
  .transform((id) => id ?? null);

const Details = z.object({ subscription_details: z.object({ subscription: Reference }).nullish() });

/** The part of an event with ids. */
const Event = z.object({
  id: z.string(),
  type: z.string(),
  created: z.number(),
  data: z.object({
    object: z.object({
      id: z.string().optional(),
      object: z.string(),
      customer: Reference,
      subscription: Reference,
      charge: Reference,
      parent: Details.nullish(),
    }),
  }),
});
type EventObject = z.output<typeof Event>['data']['object'];

interface EventReaderOptions {
  secret: string;
  /** The customer of a charge: events of disputes name no other object of the customer. */
  customerOfCharge: (chargeId: string) => Promise<string | null>;
  now: () => Date;
}

/**
 * Verifies the signature of an event and returns its ids.
 * @throws SignatureError when the signature does not match this body, or is older than five minutes; GatewayError invalid
 */
export async function readSignedEvent(
  { rawBody, signature }: { rawBody: Buffer; signature: string },
  { secret, customerOfCharge, now }: EventReaderOptions,
): Promise<PaymentEvent> {
  const parsed = Event.safeParse(verified({ rawBody, signature, secret, now }));
  if (!parsed.success)
    throw new GatewayError('invalid', 'The event cannot be read.', { cause: parsed.error });
  const { id, type, created, data } = parsed.data;
  const { object } = data;
  const isDispute = object.object === 'dispute' && object.charge !== null;
  return {
    id,
    type,
    createdAt: new Date(created * 1_000),
    customerId: isDispute ? await customerOfCharge(object.charge ?? '') : customerOf(object),
    subscriptionId: subscriptionOf(object),
    checkoutId: object.object === 'checkout.session' ? (object.id ?? null) : null,
  };
}

const TOLERANCE_SECONDS = 300;

function verified({
  rawBody,
  signature,
  secret,
  now,
}: {
  rawBody: Buffer;
  signature: string;
  secret: string;
  now: () => Date;
}): unknown {
  try {
    const at = now().getTime();
    const { webhooks } = Stripe;
    return webhooks.constructEvent(rawBody, signature, secret, TOLERANCE_SECONDS, undefined, at);
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError)
      throw new SignatureError('The signature is not of this body, or too old.', { cause: error });
    throw error;
  }
}

const customerOf = ({ id, object, customer }: EventObject): string | null =>
  object === 'customer' ? (id ?? null) : customer;

const subscriptionOf = ({ id, object, subscription, parent }: EventObject): string | null =>
  object === 'subscription'
    ? (id ?? null)
    : (subscription ?? parent?.subscription_details?.subscription ?? null);
