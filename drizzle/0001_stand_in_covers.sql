CREATE TABLE `stand_in_covers` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`bytes` blob NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `stand_in_covers_id` ON `stand_in_covers` (`id`);