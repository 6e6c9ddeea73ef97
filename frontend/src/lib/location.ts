// Full page loads, which leave nothing of the previous user in memory.

export const goTo = (path: string): void => window.location.assign(path);

export const reloadPage = (): void => window.location.reload();
