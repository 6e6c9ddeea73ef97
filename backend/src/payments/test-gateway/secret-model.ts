import { type Connection, Schema } from 'mongoose';
import { isDuplicateKey } from '../../db/mongo.ts';

const ID = 'webhook';

const schema = new Schema(
  { _id: { type: String, required: true }, secret: { type: String, required: true } },
  { versionKey: false },
);

export const defineTestSecretModel = (connection: Connection) =>
  connection.model('TestGatewaySecret', schema, 'test_gateway_secrets');

/**
 * The secret that signs the events of this installation's test gateway. The first caller stores its `candidate`; all
 * processes get that one.
 */
export async function webhookSecret(
  model: ReturnType<typeof defineTestSecretModel>,
  candidate: () => string,
): Promise<string> {
  const found = await model.findById(ID).lean();
  if (found) return found.secret;
  try {
    return (await model.create({ _id: ID, secret: candidate() })).secret;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return webhookSecret(model, candidate);
  }
}
