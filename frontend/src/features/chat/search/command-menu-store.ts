import { create } from 'zustand';

export const useCommandMenu = create<{ isOpen: boolean }>(() => ({ isOpen: false }));

export const openCommandMenu = (): void => useCommandMenu.setState({ isOpen: true });
export const closeCommandMenu = (): void => useCommandMenu.setState({ isOpen: false });
