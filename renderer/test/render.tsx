import { MantineProvider } from '@mantine/core';
import { Notifications, notifications } from '@mantine/notifications';
import { render } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import type { ReactElement } from 'react';
import { onTestFinished } from 'vitest';
import { theme } from '../styles/theme.ts';

/** Draws a part of the window inside what the whole window gives it, and hands out somebody who uses it. */
export function show(part: ReactElement): UserEvent {
  const user = userEvent.setup();
  onTestFinished(() => notifications.clean());
  render(
    <MantineProvider theme={theme} env="test">
      <Notifications />
      {part}
    </MantineProvider>,
  );
  return user;
}
