import { render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { Button } from './button.tsx';
import { Dialog, DialogClose, DialogContent, DialogTrigger } from './dialog.tsx';
import { DialogActions } from './dialog-actions.tsx';
import { Field } from './input.tsx';
import { Menu, MenuContent, MenuItem, MenuSeparator, MenuTrigger } from './menu.tsx';

it('a menu is opened, walked and chosen from by keyboard alone', async () => {
  const remove = vi.fn<() => void>();
  render(
    <Menu>
      <MenuTrigger>
        <button type="button">More</button>
      </MenuTrigger>
      <MenuContent>
        <MenuItem>Rename</MenuItem>
        <MenuSeparator />
        <MenuItem danger onSelect={remove}>
          Delete
        </MenuItem>
      </MenuContent>
    </Menu>,
  );
  await userEvent.tab();
  await userEvent.keyboard('{Enter}');
  expect(screen.getAllByRole('menuitem').map((item) => item.textContent)).toEqual([
    'Rename',
    'Delete',
  ]);
  await userEvent.keyboard('{ArrowDown}{Enter}');
  expect(remove).toHaveBeenCalledOnce();
  await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
});

it('a dialog is named by its title and closed by Escape, by its cross and by its own buttons', async () => {
  render(
    <Dialog>
      <DialogTrigger>Open</DialogTrigger>
      <DialogContent title="Delete it?" description="It cannot be brought back.">
        <DialogActions>
          <DialogClose>Cancel</DialogClose>
        </DialogActions>
      </DialogContent>
    </Dialog>,
  );
  const ways = [
    () => userEvent.keyboard('{Escape}'),
    () => userEvent.click(screen.getByRole('button', { name: 'Close' })),
    () => userEvent.click(screen.getByRole('button', { name: 'Cancel' })),
  ];
  for (const close of ways) {
    await userEvent.click(screen.getByRole('button', { name: 'Open' }));
    expect(await screen.findByRole('dialog', { name: 'Delete it?' })).toBeTruthy();
    await close();
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  }
});

it('a busy button takes no clicks and keeps its label', async () => {
  const onClick = vi.fn<() => void>();
  render(
    <Button busy onClick={onClick}>
      Saving...
    </Button>,
  );
  await userEvent.click(screen.getByRole('button', { name: 'Saving...' }));
  expect(onClick).not.toHaveBeenCalled();
});

it('what is wrong with a field is read out with it', () => {
  const { rerender } = render(<Field label="Email" hint="We never show it." />);
  const described = () => {
    const id = screen.getByLabelText('Email').getAttribute('aria-describedby') ?? '';
    return document.getElementById(id)?.textContent;
  };
  expect(described()).toBe('We never show it.');
  rerender(<Field label="Email" hint="We never show it." error="Enter an email address." />);
  expect(described()).toBe('Enter an email address.');
  expect(screen.getByLabelText('Email').getAttribute('aria-invalid')).toBe('true');
});
