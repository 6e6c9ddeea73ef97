// MongoDB's own codes, so that mongoose and the product get the errors of a real server.
const NAMES = {
  2: 'BadValue',
  8: 'UnknownError',
  9: 'FailedToParse',
  14: 'TypeMismatch',
  15: 'Overflow',
  20: 'IllegalOperation',
  26: 'NamespaceNotFound',
  27: 'IndexNotFound',
  28: 'PathNotViable',
  40: 'ConflictingUpdateOperators',
  43: 'CursorNotFound',
  48: 'NamespaceExists',
  54: 'NotSingleValueField',
  52: 'DollarPrefixedFieldName',
  56: 'EmptyFieldName',
  59: 'CommandNotFound',
  66: 'ImmutableField',
  67: 'CannotCreateIndex',
  72: 'InvalidOptions',
  73: 'InvalidNamespace',
  85: 'IndexOptionsConflict',
  86: 'IndexKeySpecsConflict',
  115: 'CommandNotSupported',
  168: 'InvalidPipelineOperator',
  171: 'CannotIndexParallelArrays',
  238: 'NotImplemented',
  291: 'NoQueryExecutionPlans',
  292: 'QueryExceededMemoryLimitNoDiskUseAllowed',
  10334: 'BSONObjectTooLarge',
  11000: 'DuplicateKey',
} as const;

/** An error answer of the database, with the client's `code`, `codeName` and `errmsg`. */
export class MongoError extends Error {
  override name = 'MongoError';
  readonly code: number;
  readonly details: Record<string, unknown>;

  constructor(code: number, message: string, details: Record<string, unknown> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  get codeName(): string {
    return (NAMES as Record<number, string>)[this.code] ?? `Location${this.code}`;
  }
}

/** Refuses with one of MongoDB's codes. */
export function fail(code: number, message: string, details?: Record<string, unknown>): never {
  throw new MongoError(code, message, details);
}
