// Whole page loads, in one place: they leave nothing of the person before in memory.

export const goTo = (path: string): void => window.location.assign(path);

export const reloadPage = (): void => window.location.reload();
