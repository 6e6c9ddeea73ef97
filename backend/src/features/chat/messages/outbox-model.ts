import { type InferSchemaType, Schema } from 'mongoose';
import type * as z from 'zod';
import type { UpdateConversationBody } from '../../../contract/conversations.ts';
import type { MessageMetadata } from '../../../contract/messages.ts';

const { ObjectId, Mixed } = Schema.Types;

/** The rest of the send that created a reply, stored in the reply's document. */
export const outboxSchema = new Schema(
  {
    /** The user message; absent when the reply was regenerated. */
    message: new Schema(
      { content: String, createdAt: Date, parentId: ObjectId, pathLength: Number, metadata: Mixed },
      { _id: false },
    ),
    /** The leaf that the author saw; absent in an empty conversation. */
    leafBefore: ObjectId,
    /** The conversation is shared: the views of its members follow. */
    isShared: Boolean,
    /** The settings that the conversation remembers; see `Remembered`. */
    remember: Mixed,
  },
  { _id: false },
);

/** The documents that a send stores besides its reply. */
export interface Outbox {
  /** The user message; absent when the reply was regenerated. */
  message?: {
    content: string;
    createdAt: Date;
    parentId: string | null;
    pathLength: number;
    /** The files of the message. */
    metadata?: MessageMetadata;
  };
  /** The leaf that the author saw; null in an empty conversation. */
  leafBefore: string | null;
  /** The views of members follow the reply. */
  isShared?: true;
  /** The settings that the send chose for the conversation, if any. */
  remember?: Remembered;
}

/** The settings of a send that a conversation remembers. */
export type Remembered = Pick<
  z.output<typeof UpdateConversationBody>,
  'personaId' | 'panel' | 'depth'
>;

export const toOutbox = ({
  message,
  leafBefore,
  isShared,
  remember,
}: InferSchemaType<typeof outboxSchema>): Outbox => ({
  leafBefore: leafBefore ? String(leafBefore) : null,
  ...(isShared && { isShared }),
  ...(remember && { remember: remember as Remembered }),
  ...(message?.content &&
    message.createdAt && {
      message: {
        content: message.content,
        createdAt: message.createdAt,
        parentId: message.parentId ? String(message.parentId) : null,
        pathLength: message.pathLength ?? Buffer.byteLength(message.content),
        ...(message.metadata && { metadata: message.metadata as MessageMetadata }),
      },
    }),
});
