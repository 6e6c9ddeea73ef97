import { type Connection, Schema } from 'mongoose';

// A mailed link belongs to one email address of one account. Only the hash of its secret is stored; it works once.
const schema = new Schema(
  {
    tokenHash: { type: String, required: true, unique: true },
    userId: { type: Schema.Types.ObjectId, required: true },
    purpose: { type: String, enum: ['confirm', 'reset'], required: true },
    email: { type: String, required: true },
    expiresAt: { type: Date, required: true, expires: 0 },
  },
  { versionKey: false },
);
schema.index({ userId: 1, purpose: 1 });

export type LinkPurpose = 'confirm' | 'reset';

export interface LinkRecord {
  userId: string;
  email: string;
}

interface Lookup {
  tokenHash: string;
  purpose: LinkPurpose;
  now: Date;
}

export const defineLinkModel = (connection: Connection) =>
  connection.model('Link', schema, 'links');

export function createLinkStore(model: ReturnType<typeof defineLinkModel>) {
  const valid = ({ tokenHash, purpose, now }: Lookup) => ({
    tokenHash,
    purpose,
    expiresAt: { $gt: now },
  });
  const record = (doc: { userId: unknown; email: string } | null): LinkRecord | null =>
    doc && { userId: String(doc.userId), email: doc.email };

  /** Removes the links of an account, or those of one purpose. */
  const removeAllOf = async (userId: string, purpose?: LinkPurpose): Promise<void> => {
    await model.deleteMany({ userId, ...(purpose && { purpose }) });
  };

  return {
    /** Stores a link that replaces the account's earlier ones of the same purpose. */
    replace: async (
      link: LinkRecord & { tokenHash: string; purpose: LinkPurpose; expiresAt: Date },
    ): Promise<void> => {
      await removeAllOf(link.userId, link.purpose);
      await model.create(link);
    },

    /** The account and email address of a link; null when it was used, has expired or never existed. */
    find: async (lookup: Lookup): Promise<LinkRecord | null> =>
      record(await model.findOne(valid(lookup)).lean()),

    /** As `find`, and uses the link up. */
    take: async (lookup: Lookup): Promise<LinkRecord | null> =>
      record(await model.findOneAndDelete(valid(lookup)).lean()),

    removeAllOf,
  };
}
