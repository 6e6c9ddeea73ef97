/**
 * The entry that `table` itself has for a name that a user or a file gives. `table[name]` also finds what every object inherits, such as
 * `constructor`.
 */
export const ownEntry = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
