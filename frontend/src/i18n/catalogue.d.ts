// The modules that frontend/catalogue.ts compiles from the files of this folder.
declare module 'catalogue:translations' {
  const translations: Readonly<
    Record<string, () => Promise<{ default: import('./translate.ts').Translation }>>
  >;
  export default translations;
}
declare module 'catalogue:*' {
  const messages: import('./translate.ts').Messages;
  export default messages;
}
