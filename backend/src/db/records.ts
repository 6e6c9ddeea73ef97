import type { Model, QueryFilter, QueryOptions, UpdateQuery } from 'mongoose';

/** Any model whose documents have `Fields`. */
interface ModelOf<Fields> {
  castObject: (obj: object) => Fields;
}

/**
 * The stored documents of a collection as records of a feature.
 * @param toRecord makes the record of a document, or of the fields that `projection` leaves of it
 */
export const recordsBy =
  <Doc, Item>(toRecord: (doc: Doc) => Item) =>
  <Fields>(anyModel: ModelOf<Fields>) => {
    const model = anyModel as object as Model<Fields>;
    const record = (doc: Doc | null): Item | null => doc && toRecord(doc);
    return {
      findOne: async (filter: QueryFilter<Fields>, options?: QueryOptions<Fields>) =>
        record(await model.findOne(filter, null, options).lean<Doc>()),

      find: async (filter: QueryFilter<Fields>, options?: QueryOptions<Fields>) =>
        (await model.find(filter, null, options).lean<Doc[]>()).map(toRecord),

      /** Changes one document in one update. @returns the changed record; null when the filter finds none */
      update: async (
        filter: QueryFilter<Fields>,
        change: UpdateQuery<Fields>,
        options?: QueryOptions<Fields>,
      ) => {
        const changed = { ...options, returnDocument: 'after' } as const;
        return record(await model.findOneAndUpdate(filter, change, changed).lean<Doc>());
      },
    };
  };
