<?php

/** Loads the classes of the client where there is no Composer: `require 'clients/php/autoload.php';`. */

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    $file = __DIR__ . '/src/' . str_replace('\\', '/', substr($class, strlen('Lootkeep\\'))) . '.php';
    if (str_starts_with($class, 'Lootkeep\\') && is_file($file)) {
        require $file;
    }
});
