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

// `t` of each section of en.json, so that a page loads only the texts that it shows.
declare module 'virtual:texts/app' {
  export const t: import('./translate.ts').Texts<'app'>;
}
declare module 'virtual:texts/artifacts' {
  export const t: import('./translate.ts').Texts<'artifacts'>;
}
declare module 'virtual:texts/auth' {
  export const t: import('./translate.ts').Texts<'auth'>;
}
declare module 'virtual:texts/authTest' {
  export const t: import('./translate.ts').Texts<'authTest'>;
}
declare module 'virtual:texts/billing' {
  export const t: import('./translate.ts').Texts<'billing'>;
}
declare module 'virtual:texts/chat' {
  export const t: import('./translate.ts').Texts<'chat'>;
}
declare module 'virtual:texts/checkout' {
  export const t: import('./translate.ts').Texts<'checkout'>;
}
declare module 'virtual:texts/chips' {
  export const t: import('./translate.ts').Texts<'chips'>;
}
declare module 'virtual:texts/claims' {
  export const t: import('./translate.ts').Texts<'claims'>;
}
declare module 'virtual:texts/commandMenu' {
  export const t: import('./translate.ts').Texts<'commandMenu'>;
}
declare module 'virtual:texts/conversationActions' {
  export const t: import('./translate.ts').Texts<'conversationActions'>;
}
declare module 'virtual:texts/dataExport' {
  export const t: import('./translate.ts').Texts<'dataExport'>;
}
declare module 'virtual:texts/deletion' {
  export const t: import('./translate.ts').Texts<'deletion'>;
}
declare module 'virtual:texts/depth' {
  export const t: import('./translate.ts').Texts<'depth'>;
}
declare module 'virtual:texts/features' {
  export const t: import('./translate.ts').Texts<'features'>;
}
declare module 'virtual:texts/feedbackReason' {
  export const t: import('./translate.ts').Texts<'feedbackReason'>;
}
declare module 'virtual:texts/files' {
  export const t: import('./translate.ts').Texts<'files'>;
}
declare module 'virtual:texts/fileStates' {
  export const t: import('./translate.ts').Texts<'fileStates'>;
}
declare module 'virtual:texts/forms' {
  export const t: import('./translate.ts').Texts<'forms'>;
}
declare module 'virtual:texts/importConversation' {
  export const t: import('./translate.ts').Texts<'importConversation'>;
}
declare module 'virtual:texts/landing' {
  export const t: import('./translate.ts').Texts<'landing'>;
}
declare module 'virtual:texts/library' {
  export const t: import('./translate.ts').Texts<'library'>;
}
declare module 'virtual:texts/mailedLinks' {
  export const t: import('./translate.ts').Texts<'mailedLinks'>;
}
declare module 'virtual:texts/markdown' {
  export const t: import('./translate.ts').Texts<'markdown'>;
}
declare module 'virtual:texts/memory' {
  export const t: import('./translate.ts').Texts<'memory'>;
}
declare module 'virtual:texts/memoryMode' {
  export const t: import('./translate.ts').Texts<'memoryMode'>;
}
declare module 'virtual:texts/messageCost' {
  export const t: import('./translate.ts').Texts<'messageCost'>;
}
declare module 'virtual:texts/offer' {
  export const t: import('./translate.ts').Texts<'offer'>;
}
declare module 'virtual:texts/personaChoice' {
  export const t: import('./translate.ts').Texts<'personaChoice'>;
}
declare module 'virtual:texts/personaPanel' {
  export const t: import('./translate.ts').Texts<'personaPanel'>;
}
declare module 'virtual:texts/personas' {
  export const t: import('./translate.ts').Texts<'personas'>;
}
declare module 'virtual:texts/plans' {
  export const t: import('./translate.ts').Texts<'plans'>;
}
declare module 'virtual:texts/privacy' {
  export const t: import('./translate.ts').Texts<'privacy'>;
}
declare module 'virtual:texts/reachMessage' {
  export const t: import('./translate.ts').Texts<'reachMessage'>;
}
declare module 'virtual:texts/replyDetails' {
  export const t: import('./translate.ts').Texts<'replyDetails'>;
}
declare module 'virtual:texts/search' {
  export const t: import('./translate.ts').Texts<'search'>;
}
declare module 'virtual:texts/settings' {
  export const t: import('./translate.ts').Texts<'settings'>;
}
declare module 'virtual:texts/sharedPage' {
  export const t: import('./translate.ts').Texts<'sharedPage'>;
}
declare module 'virtual:texts/shares' {
  export const t: import('./translate.ts').Texts<'shares'>;
}
declare module 'virtual:texts/share' {
  export const t: import('./translate.ts').Texts<'share'>;
}
declare module 'virtual:texts/shared' {
  export const t: import('./translate.ts').Texts<'shared'>;
}
declare module 'virtual:texts/shortcuts' {
  export const t: import('./translate.ts').Texts<'shortcuts'>;
}
declare module 'virtual:texts/sources' {
  export const t: import('./translate.ts').Texts<'sources'>;
}
declare module 'virtual:texts/spokenSummary' {
  export const t: import('./translate.ts').Texts<'spokenSummary'>;
}
declare module 'virtual:texts/storageUse' {
  export const t: import('./translate.ts').Texts<'storageUse'>;
}
declare module 'virtual:texts/subscription' {
  export const t: import('./translate.ts').Texts<'subscription'>;
}
declare module 'virtual:texts/uploader' {
  export const t: import('./translate.ts').Texts<'uploader'>;
}
declare module 'virtual:texts/usage' {
  export const t: import('./translate.ts').Texts<'usage'>;
}
declare module 'virtual:texts/viewer' {
  export const t: import('./translate.ts').Texts<'viewer'>;
}
declare module 'virtual:texts/workspace' {
  export const t: import('./translate.ts').Texts<'workspace'>;
}
