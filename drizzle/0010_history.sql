CREATE TABLE `heard_songs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`started_at` integer NOT NULL,
	`played_ms` integer NOT NULL,
	`source` text NOT NULL,
	`track_id` text NOT NULL,
	`title` text NOT NULL,
	`duration_ms` integer,
	`explicit` integer NOT NULL,
	`artists` text NOT NULL,
	`album_name` text NOT NULL,
	`cover_path` text,
	`cover_url` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `heard_songs_user` ON `heard_songs` (`user_id`,`started_at`);--> statement-breakpoint
CREATE TABLE `histories` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`keeps` text,
	`hears_streams` integer DEFAULT false NOT NULL,
	`stream_started_at` integer,
	`stream_ended_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
